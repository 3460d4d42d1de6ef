// Merges the Prometheus text of several processes: each metric is described once, followed by everyone's samples.

export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { about: string[]; samples: string[] }>();
  for (const text of texts) {
    let current: { about: string[]; samples: string[] } | undefined;
    let isFirst = false;
    for (const line of text.split('\n')) {
      const name = /^# HELP (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        isFirst = !metrics.has(name);
        if (isFirst) metrics.set(name, { about: [], samples: [] });
        current = metrics.get(name);
      }
      if (line === '' || !current) continue;
      if (!line.startsWith('#')) current.samples.push(line);
      else if (isFirst) current.about.push(line);
    }
  }
  return [...metrics.values()].flatMap(({ about, samples }) => [...about, ...samples, '']).join('\n');
}
