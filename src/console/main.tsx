import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme, readTheme } from './frame/theme.ts'
import { SessionGate } from './gate/gate.tsx'
import { createPages, Pages } from './pages.tsx'
import { takeFragment } from './session/keep-fragment.ts'

applyTheme(readTheme())
const fragment = takeFragment(location)
if (fragment !== undefined) history.replaceState(history.state, '', fragment)
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionGate>
      <Pages router={createPages()} />
    </SessionGate>
  </StrictMode>,
)
