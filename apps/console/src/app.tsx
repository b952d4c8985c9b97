import { useEffect } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from './api/live-queries.js';
import { ClusterPage } from './pages/cluster.js';
import { ClustersPage } from './pages/clusters.js';
import { FleetPage } from './pages/fleet.js';
import { OperationPage } from './pages/operation.js';
import { OperationsPage } from './pages/operations.js';
import { OverviewPage } from './pages/overview.js';
import { Empty } from './parts/states.js';
import { useSession } from './session/session.js';
import { Shell } from './shell/shell.js';
import { SignIn } from './shell/sign-in.js';

const base = import.meta.env.BASE_URL.replace(/\/$/, '');

/** A new page begins at its top, and a screen reader says its title. */
function Arrival() {
  const [path] = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [path]);
  return null;
}

export function App() {
  const { key } = useSession();
  useEffect(() => {
    if (key === null) queryClient.clear();
  }, [key]);
  if (key === undefined) return null;
  if (key === null) return <SignIn />;
  return (
    <Router base={base}>
      <Shell>
        <Switch>
          <Route path="/" component={OverviewPage} />
          <Route path="/clusters" component={ClustersPage} />
          <Route path="/clusters/:id/:tab?">{({ id, tab }) => <ClusterPage id={id} tab={tab ?? 'nodes'} />}</Route>
          <Route path="/operations" component={OperationsPage} />
          <Route path="/operations/:id">{({ id }) => <OperationPage id={id} />}</Route>
          <Route path="/fleet" component={FleetPage} />
          <Route>
            <Empty title="There is no such page">
              <Link href="/">To the overview</Link>
            </Empty>
          </Route>
        </Switch>
        <Arrival />
      </Shell>
    </Router>
  );
}
