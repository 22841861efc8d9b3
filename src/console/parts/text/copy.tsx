import { useState } from 'react'
import { VisibleLines } from './visible-text.tsx'

/** Shows an id, a command or code in monospace with a button that copies it. */
export function Copy({ text, isBlock = false }: { text: string; isBlock?: boolean }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  const button = (
    <button type="button" className="button quiet small" onClick={() => void copy()} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  )
  if (!isBlock)
    return (
      <span className="copy">
        <code>{text}</code>
        {button}
      </span>
    )
  return (
    <div className="copy-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          <VisibleLines lines={text.split('\n')} />
        </code>
      </pre>
      {button}
    </div>
  )
}
