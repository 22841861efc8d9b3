import { useEffect, useState } from 'react'
import type { highlightHunk } from './highlight.ts'

export type Highlight = typeof highlightHunk

/** Loads the highlighter after the page is there. The text is readable without it, so a failed load changes nothing else. */
export function useHighlighter(): Highlight | undefined {
  const [highlight, setHighlight] = useState<{ of: Highlight }>()
  useEffect(() => {
    let isShown = true
    import('./highlight.ts').then(
      (module) => void (isShown && setHighlight({ of: module.highlightHunk })),
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [])
  return highlight?.of
}
