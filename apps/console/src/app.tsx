import { useEffect, type ComponentType } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from './api/live-queries.js';
import { ClusterPage } from './pages/cluster.js';
import { ClustersPage } from './pages/clusters.js';
import { OperationPage } from './pages/operation.js';
import { OperationsPage } from './pages/operations.js';
import { OverviewPage } from './pages/overview.js';
import { lazyPage } from './parts/lazy-page.js';
import { PageBoundary } from './parts/page-boundary.js';
import { Empty } from './parts/states.js';
import { useSession } from './session/session.js';
import { Shell } from './shell/shell.js';
import { SignIn } from './shell/sign-in.js';
import { keepMoment } from './time/moment.js';

const base = import.meta.env.BASE_URL.replace(/\/$/, '');

type Detail = Readonly<{ id: string; tab: string | undefined }>;

/** Pages beside the first ones are read when they are opened. */
const pages: Readonly<Record<string, ComponentType>> = {
  '/containers': lazyPage(async () => (await import('./pages/containers.js')).ContainersPage),
  '/sets': lazyPage(async () => (await import('./pages/sets.js')).SetsPage),
  '/policies': lazyPage(async () => (await import('./pages/policies.js')).PoliciesPage),
  '/machines': lazyPage(async () => (await import('./pages/machines.js')).MachinesPage),
  '/history': lazyPage(async () => (await import('./pages/history.js')).HistoryPage),
  '/fleet': lazyPage(async () => (await import('./pages/fleet.js')).FleetPage),
  '/access': lazyPage(async () => (await import('./access/projects.js')).AccessPage),
  '/change/cluster': lazyPage(async () => (await import('./changes/new-cluster.js')).NewClusterPage),
  '/change/node-group': lazyPage(async () => (await import('./changes/new-group.js')).NewGroupPage),
  '/change/container-set': lazyPage(async () => (await import('./changes/new-containers.js')).NewSetPage),
  '/change/container': lazyPage(async () => (await import('./changes/new-containers.js')).NewContainerPage),
  '/change/policy': lazyPage(async () => (await import('./policies/change-policy.js')).ChangePolicyPage),
  '/change/request': lazyPage(async () => (await import('./changes/any-change.js')).AnyChangePage),
};

const details: Readonly<Record<string, ComponentType<Detail>>> = {
  '/containers': lazyPage(async () => (await import('./pages/container.js')).ContainerPage),
  '/sets': lazyPage(async () => (await import('./pages/set.js')).SetPage),
  '/groups': lazyPage(async () => (await import('./pages/group.js')).GroupPage),
  '/nodes': lazyPage(async () => (await import('./pages/node.js')).NodePage),
  '/policies': lazyPage(async () => (await import('./pages/policy.js')).PolicyPage),
  '/machines': lazyPage(async () => (await import('./pages/machines.js')).MachinePage),
  '/access': lazyPage(async () => (await import('./access/project.js')).ProjectPage),
};

const TemplatesPage = lazyPage(async () => (await import('./pages/templates.js')).TemplatesPage);
const TemplatePage = lazyPage(async () => (await import('./pages/templates.js')).TemplatePage);

/** A new page begins at its top, and a screen reader says its title. */
function Arrival() {
  const [path] = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [path]);
  return null;
}

const templateRoutes = [
  ['/templates/cluster/:id/:tab?', 'clusterTemplate'],
  ['/templates/node-group/:id/:tab?', 'nodeGroupTemplate'],
  ['/profiles/:id/:tab?', 'containerProfile'],
] as const;

const Pages = () => (
  <Switch>
    <Route path="/" component={OverviewPage} />
    <Route path="/clusters" component={ClustersPage} />
    <Route path="/clusters/:id/:tab?">{({ id, tab }) => <ClusterPage id={id} tab={tab ?? 'nodes'} />}</Route>
    <Route path="/operations" component={OperationsPage} />
    <Route path="/operations/:id">{({ id }) => <OperationPage id={id} />}</Route>
    {Object.entries(pages).map(([path, Page]) => (
      <Route key={path} path={path} component={Page} />
    ))}
    {Object.entries(details).map(([path, Page]) => (
      <Route<Detail> key={path} path={`${path}/:id/:tab?`}>
        {({ id, tab }) => <Page {...{ id, tab }} />}
      </Route>
    ))}
    {templateRoutes.map(([path, type]) => (
      <Route<Detail> key={path} path={path}>
        {({ id, tab }) => <TemplatePage {...{ type, id, tab }} />}
      </Route>
    ))}
    <Route path="/templates/:tab?">{({ tab }) => <TemplatesPage tab={tab ?? 'clusters'} />}</Route>
    <Route>
      <Empty title="There is no such page">
        <Link href="/">To the overview</Link>
      </Empty>
    </Route>
  </Switch>
);

function GuardedPages() {
  const [path] = useLocation();
  return (
    <PageBoundary place={path}>
      <Pages />
    </PageBoundary>
  );
}

export function App() {
  const { credential } = useSession();
  useEffect(() => {
    if (credential === null) queryClient.clear();
  }, [credential]);
  if (credential === undefined) return null;
  if (credential === null) return <SignIn />;
  return (
    <Router base={base} aroundNav={keepMoment}>
      <Shell>
        <GuardedPages />
        <Arrival />
      </Shell>
    </Router>
  );
}
