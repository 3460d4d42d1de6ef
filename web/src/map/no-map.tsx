/** In place of a map that the browser cannot draw. */
export function NoMap() {
  return (
    <p className="no-map" role="status">
      This browser cannot draw the map: it needs WebGL, which is turned off or not supported here. Everything else on
      the page works without it.
    </p>
  );
}
