// The page of one property.
export function PropertyPage({ id }: { id: string }) {
  return <p>{id}</p>;
}
