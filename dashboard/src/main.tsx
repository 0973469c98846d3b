import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './api/query-client.ts'
import { makeRouter } from './routes.tsx'
import { reloadOnOldBuild } from './shell/old-build.ts'

const queryClient = makeQueryClient(() => {
  const { href, pathname } = router.latestLocation
  if (pathname === '/sign-in') return
  void router.navigate({ to: '/sign-in', search: { next: href } })
})
const router = makeRouter(queryClient)
reloadOnOldBuild()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
