import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme, readTheme } from './frame/theme.ts'
import { createPages, Pages } from './pages.tsx'
import { SessionGate } from './session/gate.tsx'

applyTheme(readTheme())
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionGate>
      <Pages router={createPages()} />
    </SessionGate>
  </StrictMode>,
)
