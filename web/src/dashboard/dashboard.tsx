// The dashboard.
export function Dashboard({ section }: { section: string; id?: string }) {
  return <p>{section}</p>;
}
