import './ui/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './queries.ts'
import { createConsoleRouter } from './router.tsx'
import { leaveToSignIn, loadSession } from './session/session.ts'

const router = createConsoleRouter()
// The code of the page is on its way while the service is asked who is there.
const [routes] = router.getMatchedRoutes(window.location.pathname)
for (const route of routes) void router.loadRouteChunk(route)

if (await loadSession()) {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
} else {
  leaveToSignIn()
}
