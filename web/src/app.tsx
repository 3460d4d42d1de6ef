// Maps each path to its page and draws the frame around it.
import { lazy, Suspense, type ReactNode } from 'react';
import { useCaller } from './caller.tsx';
import type { PagePath } from './page-paths.ts';
import { AccuracyPage } from './pages/accuracy.tsx';
import { ConsentPage } from './pages/consent.tsx';
import { CoveragePage } from './pages/coverage.tsx';
import { InvitationPage, ResetPage, VerifyPage } from './pages/email-links.tsx';
import { Home } from './pages/home.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PricingPage } from './pages/pricing.tsx';
import { Entrance, SignInPage, SignUpPage } from './pages/sign-in.tsx';
import { UnsubscribePage } from './pages/unsubscribe.tsx';
import { matchPath, usePath } from './router.tsx';
import { Topbar } from './topbar.tsx';
import { Palette } from './ui/palette.tsx';
import { Skeleton } from './ui/parts.tsx';

// The map library outweighs everything else combined, so only pages with a map load it.
const ExplorePage = lazy(() => import('./explore/explore.tsx').then((module) => ({ default: module.ExplorePage })));
const PropertyPage = lazy(() => import('./property/property.tsx').then((module) => ({ default: module.PropertyPage })));
const AreasPage = lazy(() => import('./areas/areas.tsx').then((module) => ({ default: module.AreasPage })));
const SharedPageView = lazy(() => import('./share/shared.tsx').then((module) => ({ default: module.SharedPageView })));
const Dashboard = lazy(() => import('./dashboard/dashboard.tsx').then((module) => ({ default: module.Dashboard })));

type PageOf = (parameters: Record<string, string>, path: string) => ReactNode;

/** `page`: the same for everyone. `data`: shows data, of the sandbox to guests. `account`: for people with an account or key. */
type Audience = 'page' | 'data' | 'account';

const PAGES: Record<PagePath, [audience: Audience, page: PageOf]> = {
  '/': ['data', () => <Home />],
  '/explore': ['data', () => <ExplorePage />],
  '/p/:id': ['data', ({ id }) => <PropertyPage key={id} id={id} />],
  '/areas': ['data', () => <AreasPage />],
  '/accuracy': ['data', () => <AccuracyPage />],
  '/coverage': ['data', () => <CoveragePage />],
  '/pricing': ['page', () => <PricingPage />],
  '/sign-in': ['page', () => <SignInPage />],
  '/sign-up': ['page', () => <SignUpPage />],
  '/verify': ['page', () => <VerifyPage />],
  '/reset': ['page', () => <ResetPage />],
  '/invitation': ['page', () => <InvitationPage />],
  '/unsubscribe': ['page', () => <UnsubscribePage />],
  '/oauth/consent/:uid': ['page', ({ uid }) => <ConsentPage uid={uid} />],
  '/shared/:token': ['page', ({ token }) => <SharedPageView key={token} token={token} />],
  '/dashboard': ['account', () => <Dashboard section="overview" />],
  '/dashboard/:section': ['account', ({ section }) => <Dashboard section={section} />],
  '/dashboard/:section/:id': ['account', ({ section, id }) => <Dashboard section={section} id={id} />],
};

export function App() {
  const path = usePath();
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      {/* The page of a share link is its sender's: nothing on it leads into the app. */}
      {!path.startsWith('/shared/') && (
        <>
          <Topbar path={path} />
          <Palette />
        </>
      )}
      <main id="main" tabIndex={-1}>
        <Suspense
          fallback={
            <div className="page">
              <Skeleton lines={5} />
            </div>
          }
        >
          <CurrentPage path={path} />
        </Suspense>
      </main>
    </>
  );
}

function CurrentPage({ path }: { path: string }) {
  const { isGuest, credential } = useCaller();
  for (const [pattern, [audience, page]] of Object.entries(PAGES)) {
    const parameters = matchPath(pattern, path);
    if (!parameters) continue;
    if (audience === 'account' && isGuest) return <Entrance />;
    if (audience === 'page' || credential) return page(parameters, path);
    return (
      <div className="page">
        <Skeleton lines={5} />
      </div>
    );
  }
  return <NotFound />;
}
