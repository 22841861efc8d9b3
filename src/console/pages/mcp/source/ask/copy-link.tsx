import { useState } from 'react'

/** A button that copies an address as it is at that moment. */
export function CopyLink({ link }: { link: () => string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(link())
    setCopied(true)
  }
  return (
    <button type="button" className="button quiet" onClick={() => void copy()} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy link'}</span>
    </button>
  )
}
