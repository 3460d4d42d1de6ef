// The dashboard frame: the menu and the selected section.
import { lazy, Suspense, type ReactNode } from 'react';
import { useCall, useCaller } from '../caller.tsx';
import { hrefOfSection, SECTION_NAMES, type SectionId } from '../page-paths.ts';
import { NotFound } from '../pages/not-found.tsx';
import { Link, navigate, useTitle } from '../router.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Notice, PageHead, Skeleton } from '../ui/parts.tsx';
import { AgentsSection } from './agents.tsx';
import { AuditSection } from './account/audit.tsx';
import { BatchSection, BatchesSection } from './batches.tsx';
import { BillingSection } from './billing/billing.tsx';
import { ExportSection } from './exports/export.tsx';
import { ExportsSection } from './exports/exports.tsx';
import { KeysSection } from './keys/keys.tsx';
import { OverviewSection } from './overview.tsx';
import { ReportsSection } from './reports/reports.tsx';
import { ClocksSection } from './clocks.tsx';
import { SettingsSection } from './settings.tsx';
import { SharesSection } from './shares.tsx';
import { RequestsSection } from './usage/requests.tsx';
import { SecuritySection } from './account/security.tsx';
import { SupportSection } from './account/support.tsx';
import { StartSection } from './start.tsx';
import { TeamSection } from './account/team.tsx';
import { UsageSection } from './usage/usage.tsx';
import { WatchlistsSection } from './watchlists.tsx';
import { WebhookSection } from './webhooks/webhook.tsx';
import { WebhooksSection } from './webhooks/webhooks.tsx';

/** For operators alone, and larger than any other section. */
const Counties = lazy(() => import('./counties/section.tsx').then((module) => ({ default: module.CountiesPages })));

interface Section {
  id: SectionId;
  icon: IconName;
  /** Sections about people and money require a signed-in user; an API key is not enough. */
  needsPerson?: boolean;
  /** For those who run the service; to others it is not there. */
  needsOperator?: boolean;
  page: (id: string | undefined) => ReactNode;
}

const GROUPS: [title: string, sections: Section[]][] = [
  [
    'Platform',
    [
      { id: 'overview', icon: 'home', page: () => <OverviewSection /> },
      { id: 'start', icon: 'arrow', page: () => <StartSection /> },
      { id: 'keys', icon: 'key', page: () => <KeysSection /> },
      { id: 'usage', icon: 'chart', page: () => <UsageSection /> },
      { id: 'requests', icon: 'log', page: () => <RequestsSection /> },
      { id: 'clocks', icon: 'clock', page: () => <ClocksSection /> },
    ],
  ],
  [
    'Data',
    [
      {
        id: 'batches',
        icon: 'batch',
        page: (id) => (id ? <BatchSection id={id} /> : <BatchesSection />),
      },
      { id: 'reports', icon: 'log', page: () => <ReportsSection /> },
      { id: 'watchlists', icon: 'eye', page: () => <WatchlistsSection /> },
      { id: 'shares', icon: 'share', page: () => <SharesSection /> },
      {
        id: 'webhooks',
        icon: 'hook',
        page: (id) => (id ? <WebhookSection id={id} /> : <WebhooksSection />),
      },
      {
        id: 'exports',
        icon: 'export',
        page: (id) => (id ? <ExportSection id={id} /> : <ExportsSection />),
      },
      { id: 'agents', icon: 'spark', page: () => <AgentsSection /> },
    ],
  ],
  [
    'Account',
    [
      { id: 'billing', icon: 'card', needsPerson: true, page: () => <BillingSection /> },
      { id: 'team', icon: 'team', needsPerson: true, page: () => <TeamSection /> },
      { id: 'settings', icon: 'filter', page: () => <SettingsSection /> },
      { id: 'audit', icon: 'clock', needsPerson: true, page: () => <AuditSection /> },
      {
        id: 'security',
        icon: 'shield',
        needsPerson: true,
        page: () => <SecuritySection />,
      },
      { id: 'support', icon: 'info', needsPerson: true, page: () => <SupportSection /> },
    ],
  ],
  [
    'Operator',
    [
      {
        id: 'counties',
        icon: 'map',
        needsPerson: true,
        needsOperator: true,
        page: (id) => <Counties id={id} />,
      },
    ],
  ],
];

export function Dashboard({ section: sectionId, id }: { section: string; id?: string }) {
  const { session } = useCaller();
  const isOperator = session?.user.is_operator ?? false;
  const groups = GROUPS.map(
    ([title, sections]) => [title, sections.filter((item) => isOperator || !item.needsOperator)] as const,
  ).filter(([, sections]) => sections.length > 0);
  const section = groups.flatMap(([, sections]) => sections).find((candidate) => candidate.id === sectionId);
  useTitle(section ? SECTION_NAMES[section.id] : 'Dashboard');
  if (!section) return <NotFound />;
  return (
    <div className="shell">
      <aside className="side">
        <nav aria-label="Dashboard">
          {groups.map(([title, sections]) => (
            <div key={title}>
              <h2>{title}</h2>
              {sections.map((item) => (
                <Link key={item.id} href={hrefOfSection(item.id)} aria-current={item === section ? 'page' : undefined}>
                  <Icon name={item.icon} size={17} />
                  {SECTION_NAMES[item.id]}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <AccountSwitcher />
        <select
          className="side-select"
          aria-label="Dashboard section"
          value={section.id}
          onChange={(event) => navigate(hrefOfSection(event.target.value as SectionId))}
        >
          {groups.map(([title, sections]) => (
            <optgroup key={title} label={title}>
              {sections.map((item) => (
                <option key={item.id} value={item.id}>
                  {SECTION_NAMES[item.id]}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </aside>
      <div className="content">
        <Suspense fallback={<Skeleton lines={5} />}>
          {section.needsPerson && !session ? <SignInRequired name={SECTION_NAMES[section.id]} /> : section.page(id)}
        </Suspense>
      </div>
    </div>
  );
}

/** The current account. Users who belong to several accounts switch between them here. */
function AccountSwitcher() {
  const { session, refresh } = useCaller();
  const call = useCall();
  if (!session) return null;
  const { account, accounts, user } = session;
  const change = async (id: string) => {
    await call('/session/account', { body: { account_id: id } });
    await refresh();
    navigate('/dashboard');
  };
  return (
    <div className="side-account">
      <span className="initials" aria-hidden="true">
        {initialsOf(user.name)}
      </span>
      <div>
        {accounts.length > 1 ? (
          <select aria-label="Account" value={account.id} onChange={(event) => void change(event.target.value)}>
            {accounts.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <strong>{account.name}</strong>
        )}
        <span className="fine">{user.email}</span>
      </div>
    </div>
  );
}

function initialsOf(name: string): string {
  const parts = name.split(/\s+/).filter(Boolean);
  return [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map((part) => part?.charAt(0) ?? '').join('');
}

function SignInRequired({ name }: { name: string }) {
  return (
    <>
      <PageHead title={name} />
      <Notice title="Sign in to view this page">
        <p>You’re using an API key. This page is only available to signed-in users.</p>
        <Link className="button small primary" href="/sign-in">
          Sign in
        </Link>
      </Notice>
    </>
  );
}
