import './no-eval.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme, readTheme } from './frame/theme.ts'
import { Pages } from './pages.tsx'
import { SessionGate } from './session/gate.tsx'

applyTheme(readTheme())
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionGate>
      <Pages />
    </SessionGate>
  </StrictMode>,
)
