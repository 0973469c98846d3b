import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { readActivity } from './activity/filter.ts'
import { isRefusal } from './api/client.ts'
import { lastQuery, projectQuery, servingQuery, underWayQuery } from './api/projects.ts'
import { activeQuery, deploymentQuery, deploymentsQuery, meQuery, overviewQuery, projectsQuery } from './api/queries.ts'
import { parseSearch, stringifySearch } from './api/search-text.ts'
import { serverQuery } from './api/servers.ts'
import { readFilter } from './deployments/filter.ts'
import { readView } from './deployments/view.ts'
import { readDomainsFilter } from './domains/domains-filter.ts'

import { readGit } from './git/view.ts'
import { readNewSearch } from './new/search.ts'
import { readProjectView } from './projects/tabs.ts'
import { readSettings } from './settings/tabs.ts'

import { NotFound } from './shell/not-found.tsx'
import { PageError } from './shell/page-error.tsx'
import { Shell } from './shell/shell.tsx'
import { LiveRegion } from './ui/announce.tsx'

type Context = { queryClient: QueryClient }

const root = createRootRouteWithContext<Context>()({
  component: () => (
    <>
      <Outlet />
      <LiveRegion />
    </>
  ),
})

/** Whoever has no session signs in first and comes back to the same address. */
async function requireMe({ context, location }: { context: Context; location: { href: string } }) {
  try {
    await context.queryClient.ensureQueryData(meQuery)
  } catch (error) {
    if (!isRefusal(error) || error.status !== 401) throw error
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
  }
}

/** Every page: its address, what the address may say, what it needs before it shows, and where it is. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === 'string' ? { next } : {}),
  component: lazyRouteComponent(() => import('./access/sign-in-page.tsx'), 'SignInPage'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./access/join-page.tsx'), 'JoinPage'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./access/sign-up-page.tsx'), 'SignUpPage'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  beforeLoad: requireMe,
  component: lazyRouteComponent(() => import('./setup/setup-page.tsx'), 'SetupPage'),
})

const inside = createRoute({ getParentRoute: () => root, id: 'in', beforeLoad: requireMe, component: Shell })

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  loader: ({ context: { queryClient } }) => {
    for (const query of [overviewQuery, projectsQuery, activeQuery] as const)
      void queryClient.prefetchQuery(query as typeof overviewQuery)
    void queryClient.prefetchInfiniteQuery(deploymentsQuery({}))
  },
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const deployments = createRoute({
  getParentRoute: () => inside,
  path: '/deployments',
  validateSearch: readFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(projectsQuery)
    void queryClient.prefetchInfiniteQuery(deploymentsQuery(deps))
  },
  component: lazyRouteComponent(() => import('./deployments/list-page.tsx'), 'ListPage'),
})

const deployment = createRoute({
  getParentRoute: () => inside,
  path: '/deployments/$id',
  validateSearch: readView,
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(projectsQuery)
    return queryClient.ensureQueryData(deploymentQuery(params.id))
  },
  component: lazyRouteComponent(() => import('./deployments/deployment-page.tsx'), 'DeploymentPage'),
})

const backups = createRoute({
  getParentRoute: () => inside,
  path: '/backups',
  component: lazyRouteComponent(() => import('./backups/backups-page.tsx'), 'BackupsPage'),
})

const git = createRoute({
  getParentRoute: () => inside,
  path: '/git',
  validateSearch: readGit,
  component: lazyRouteComponent(() => import('./git/git-page.tsx'), 'GitPage'),
})

const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  validateSearch: readActivity,
  component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
})

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  validateSearch: readSettings,
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
})

const fresh = createRoute({
  getParentRoute: () => inside,
  path: '/new',
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import('./new/new-page.tsx'), 'NewPage'),
})

const servers = createRoute({
  getParentRoute: () => inside,
  path: '/servers',
  validateSearch: ({ add }: Record<string, unknown>): { add?: 'ssh' } => (add === 'ssh' ? { add } : {}),
  component: lazyRouteComponent(() => import('./servers/servers-page.tsx'), 'ServersPage'),
})

const server = createRoute({
  getParentRoute: () => inside,
  path: '/servers/$id',
  loader: ({ context: { queryClient }, params }) => queryClient.ensureQueryData(serverQuery(params.id)),
  component: lazyRouteComponent(() => import('./servers/server-page.tsx'), 'ServerPage'),
})

const adopt = createRoute({
  getParentRoute: () => inside,
  path: '/servers/$id/adopt',
  loader: ({ context: { queryClient }, params }) => queryClient.ensureQueryData(serverQuery(params.id)),
  component: lazyRouteComponent(() => import('./servers/adopt-page.tsx'), 'AdoptPage'),
})

const project = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$id',
  validateSearch: readProjectView,
  loader: ({ context: { queryClient }, params: { id } }) => {
    void queryClient.prefetchQuery(servingQuery(id))
    void queryClient.prefetchQuery(underWayQuery(id))
    void queryClient.prefetchInfiniteQuery(lastQuery(id))
    return queryClient.ensureQueryData(projectQuery(id))
  },
  component: lazyRouteComponent(() => import('./projects/project-page.tsx'), 'ProjectPage'),
})

const domains = createRoute({
  getParentRoute: () => inside,
  path: '/domains',
  validateSearch: readDomainsFilter,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(projectsQuery),
  component: lazyRouteComponent(() => import('./domains/domains-page.tsx'), 'DomainsPage'),
})

const tree = root.addChildren([
  signIn,
  join,
  signUp,
  setup,
  inside.addChildren([
    overview,
    deployments,
    deployment,
    backups,
    git,
    activity,
    settings,
    fresh,
    servers,
    server,
    adopt,
    project,
    domains,
  ]),
])

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
