// Inline SVG icons with one stroke width and size, so nothing has to be fetched.

const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  map: 'M9 4 3.5 6v14L9 18l6 2 5.5-2V4L15 6 9 4Zm0 0v14m6-12v14',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  filter: 'M4 6h16M7 12h10M10 18h4',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  key: 'M15.5 4.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12.6 11.4 4.5 19.5M7 17l2.2 2.2M9.7 14.3l2.2 2.2',
  chart: 'M4 20h16M7 16v-5m5 5V6m5 10v-8',
  home: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9',
  log: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  hook: 'M9 15a3 3 0 1 1-3-3m0 0 4-7m2-1a3 3 0 0 1 2.6 4.5L12 12m0 4h6a3 3 0 1 1-1.5 2.6',
  batch: 'M12 4 3.5 8.5 12 13l8.5-4.5L12 4ZM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5',
  export: 'M12 4v11m0 0 4-4m-4 4-4-4M4 17v3h16v-3',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  card: 'M3.5 6h17v12h-17zM3.5 10h17M7 14.5h4',
  team: 'M9 5.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4ZM3.5 19c.5-3 2.7-4.5 5.5-4.5s5 1.5 5.5 4.5M16 6a3 3 0 0 1 0 5.8M17 14.7c2 .4 3.2 1.8 3.5 4.3',
  shield: 'M12 3.5 5 6v6c0 4.5 3 7 7 8.5 4-1.5 7-4 7-8.5V6l-7-2.5Z',
  spark: 'M12 4v4m0 8v4M4 12h4m8 0h4M6.5 6.5 9 9m6 6 2.5 2.5m0-11L15 9m-6 6-2.5 2.5',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7.5V12l3 2',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5V5m0 14v2.5M4.5 12H2m20 0h-2.5M6.3 6.3 4.9 4.9m14.2 14.2-1.4-1.4m0-11.4 1.4-1.4M4.9 19.1l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z',
  alert: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.5h.01',
  info: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 11v5m0-8.5h.01',
  arrow: 'M5 12h14m-5-5 5 5-5 5',
  refresh: 'M20 11a8 8 0 0 0-14.5-4L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.5 4l1.5-1.5m0 4.5v-4.5h-4.5',
  plus: 'M12 5v14M5 12h14',
  pin: 'M12 21s6.5-5.7 6.5-11a6.5 6.5 0 0 0-13 0c0 5.3 6.5 11 6.5 11Zm0-13.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  layers: 'M12 4 3.5 8.5 12 13l8.5-4.5L12 4ZM3.5 13.5 12 18l8.5-4.5',
  ruler: 'M3.5 16 16 3.5 20.5 8 8 20.5 3.5 16Zm4-4 2 2m1-5 2 2m1-5 2 2',
  share: 'M14 5h5v5M19 5l-8 8M10 6H5v13h13v-5',
  out: 'M14 4h6v16h-6M10 8l-4 4 4 4m-4-4h10',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M7 8h8v7H7zM17 8h8v11h-8zM7 17h8v7H7zM17 21h8v3h-8z" fill="var(--on-accent)" />
    </svg>
  );
}
