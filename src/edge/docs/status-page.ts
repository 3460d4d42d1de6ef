// The status page as HTML: current state, the last ninety days by component, incidents, and promises next to results.
import { DAY_MS, MINUTE_MS } from '../../base/lib/clock.ts';
import { COMPONENTS, type Component } from '../status/components.ts';
import { overallOf } from '../status/present.ts';
import { SHOWN_DAYS, type DayStatus, type StatusReport } from '../status/status.ts';
import { beginHead, HALF, MARK } from './layout.ts';
import { escapeHtml } from './markdown.ts';

const HEADLINES = {
  up: 'Everything is up',
  partly_down: 'Parts of the service are down',
  down: 'The service is down',
  unknown: 'Not measured yet',
};
const CAUSES = { failures: 'Requests or trials failed', not_measured: 'Nothing was measured, counted as down' };
const BAR = { width: 8, step: 10, height: 34 };

export function renderStatus(report: StatusReport): string {
  const overall = overallOf(report);
  const about = 'Whether Platbook is up, its availability by component and day, and its incidents.';
  return `${beginHead(`${HEADLINES[overall]} · Platbook status`, about)}
<link rel="stylesheet" href="/docs/status.css">
<link rel="alternate" type="application/json" href="/status.json">
<script src="/docs/theme.js"></script>
<script src="/docs/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="/">${MARK}<span>Platbook</span></a>
<span class="place">Status</span>
<nav class="top" aria-label="Main"><a href="/docs">Docs</a><a href="/explore">Explore</a><a href="/dashboard">Dashboard</a></nav>
<button class="icon-button theme" type="button" aria-label="Light or dark" title="Light or dark">${HALF}</button>
</header>
<main id="content" class="status">
<h1 class="headline ${overall}">${HEADLINES[overall]}</h1>
<p class="checked">${describeCheck(report)}</p>
${renderOngoing(report)}
<h2>Components</h2>
${report.components.map((component) => renderComponent(component, report)).join('\n')}
<h2>Promised and measured</h2>
${renderPromises(report)}
<h2>Incidents</h2>
${renderIncidents(report)}
<h2>How this is counted</h2>
${RULES}
<footer><a href="/status.json">As JSON</a><a href="/docs/status">About this page</a><a href="/docs">Docs</a></footer>
</main>
</body>
</html>
`;
}

const RULES = `<ul class="rules">
<li>Twice a minute the service calls itself at its public URL, as a customer would. Calls of customers with live keys count too.</li>
<li>A minute is down if more than half of these trials failed, or if 5 % of the calls (and more than one) got an answer with a 5xx status. Refusals such as 401, 422 and 429 are not failures.</li>
<li>Batches and webhooks are down while work that is due has waited for more than five minutes.</li>
<li>A minute in which nothing was measured counts as down: if all processes or the database are gone, nobody can measure.</li>
<li>Two bad minutes make an incident. Uptime is rounded down. Days and times are UTC.</li>
</ul>`;

function describeCheck({ checkedAt, measuredSince }: StatusReport): string {
  const checked = `Checked ${time(checkedAt)} UTC.`;
  return measuredSince === null
    ? `${checked} No minute has been measured yet.`
    : `${checked} Measured since ${time(measuredSince)} UTC.`;
}

function renderOngoing({ incidents }: StatusReport): string {
  return incidents
    .filter(({ endedAt }) => endedAt === null)
    .map(
      ({ startedAt, components, cause }) =>
        `<p class="ongoing"><strong>Ongoing since ${time(startedAt)} UTC:</strong> ${titles(components)}. ${CAUSES[cause]}.</p>`,
    )
    .join('');
}

function renderComponent(component: StatusReport['components'][number], report: StatusReport): string {
  const { name, isUp, uptime90, days } = component;
  const { title, what } = COMPONENTS[name];
  const state = !report.isJudged ? '' : isUp ? 'up' : 'down';
  const uptime = uptime90 === null ? 'not measured yet' : `${percent(uptime90)} ${coveredBy(report)}`;
  const bars = days.map(
    (day, i) =>
      `<rect class="${levelOf(day)}" x="${i * BAR.step}" width="${BAR.width}" height="${BAR.height}" rx="2"><title>${describeDay(day)}</title></rect>`,
  );
  return `<section class="component">
<h3>${title} <span class="state ${state}">${state}</span></h3>
<p class="uptime">${uptime}</p>
<p class="what">${what}</p>
<svg class="days" viewBox="0 0 ${SHOWN_DAYS * BAR.step - (BAR.step - BAR.width)} ${BAR.height}" preserveAspectRatio="none" role="img" aria-label="${title}, the last ${SHOWN_DAYS} days: ${escapeHtml(uptime)}">${bars.join('')}</svg>
<p class="axis"><span>${SHOWN_DAYS} days ago</span><span>today</span></p>
</section>`;
}

function levelOf({ uptime_percent: uptime }: DayStatus): string {
  if (uptime === null) return 'unknown';
  if (uptime >= 99.95) return 'good';
  return uptime >= 99 ? 'fair' : 'bad';
}

function describeDay({ date, uptime_percent, down_minutes, unmeasured_minutes }: DayStatus): string {
  if (uptime_percent === null) return `${date}: not measured`;
  const lost = down_minutes === 0 ? '' : `, ${minutes(down_minutes)} down`;
  const gap = unmeasured_minutes === 0 ? '' : ` (${unmeasured_minutes} of them not measured)`;
  return `${date}: ${percent(uptime_percent)}${lost}${gap}`;
}

function renderPromises(report: StatusReport): string {
  const { promises, measuredSince } = report;
  const cell = (measured: number | null, promised: number) =>
    measured === null
      ? '<td>–</td>'
      : `<td><span class="verdict ${measured >= promised ? 'kept' : 'missed'}">${percent(measured)}</span></td>`;
  const rows = promises.map(
    ({ plans, promisedPercent, uptime30, uptime90 }) =>
      `<tr><th scope="row">${plans.join(', ')}</th><td>${promisedPercent}%</td>${cell(uptime30, promisedPercent)}${cell(uptime90, promisedPercent)}</tr>`,
  );
  const young =
    measuredSince !== null && ageInDays(report) < SHOWN_DAYS
      ? `<p class="young">Measured only since ${time(measuredSince)} UTC; the columns cover what there is.</p>`
      : '';
  return `<div class="table" tabindex="0" role="region" aria-label="Promised and measured"><table>
<thead><tr><th scope="col">Plan</th><th scope="col">Promised</th><th scope="col">API, 30 days</th><th scope="col">API, 90 days</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>${young}`;
}

function renderIncidents({ incidents }: StatusReport): string {
  const past = incidents.filter(({ endedAt }) => endedAt !== null);
  if (past.length === 0) return `<p>None have ended in the last ${SHOWN_DAYS} days.</p>`;
  const items = past.map(({ startedAt, endedAt, components, cause }) => {
    const length = Math.round((endedAt!.getTime() - startedAt.getTime()) / MINUTE_MS);
    return `<li><h3>${titles(components)}: ${minutes(length)}</h3><p>${time(startedAt)} to ${time(endedAt!)} UTC. ${CAUSES[cause]}.</p></li>`;
  });
  return `<ol class="incidents">${items.join('')}</ol>`;
}

function titles(components: string[]): string {
  const all = Object.keys(COMPONENTS).length;
  if (components.length === all) return 'All components';
  return components.map((name) => COMPONENTS[name as Component].title).join(', ');
}

const ageInDays = ({ checkedAt, measuredSince }: StatusReport) =>
  measuredSince === null ? 0 : Math.floor((checkedAt.getTime() - measuredSince.getTime()) / DAY_MS);

function coveredBy(report: StatusReport): string {
  const age = Math.min(SHOWN_DAYS, ageInDays(report));
  return age < 1 ? 'since measuring began' : `over ${age} ${age === 1 ? 'day' : 'days'}`;
}

const percent = (value: number) => `${value}%`;

function minutes(count: number): string {
  if (count < 60) return `${count} ${count === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.floor(count / 60);
  const rest = count % 60;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

const time = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ');
