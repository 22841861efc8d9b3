import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { guardLeaving } from './frame/guard-leaving.ts'
import { applyTheme, readTheme } from './frame/theme.ts'
import { SessionGate } from './gate/gate.tsx'
import { createPages, Pages } from './pages.tsx'
import { probe } from './session/api.ts'
import { ConnectionContext, createConnection } from './session/connection.ts'
import { takeFragment } from './session/keep-fragment.ts'

applyTheme(readTheme())
const fragment = takeFragment(location)
if (fragment !== undefined) history.replaceState(history.state, '', fragment)
createRoot(document.getElementById('root')!).render(openConsole())

function openConsole() {
  const connection = createConnection(probe)
  const router = createPages()
  guardLeaving(router, connection)
  return (
    <StrictMode>
      <ConnectionContext value={connection}>
        <SessionGate>
          <Pages router={router} />
        </SessionGate>
      </ConnectionContext>
    </StrictMode>
  )
}
