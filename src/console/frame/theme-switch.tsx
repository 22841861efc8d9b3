import { useState } from 'react'
import { Choice } from '../parts/choice.tsx'
import { applyTheme, readTheme, THEMES } from './theme.ts'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme)
  return (
    <Choice
      label="Theme"
      isCompact
      value={theme}
      options={THEMES}
      onChange={(chosen) => {
        applyTheme(chosen)
        setTheme(chosen)
      }}
    />
  )
}
