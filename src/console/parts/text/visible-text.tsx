import { Fragment } from 'react'
import { findInvisible } from '#contract/core/show-invisible.ts'

/** One line of text in which what cannot be seen is a code, apart from the text by its looks. */
export function VisibleText({ line }: { line: string }) {
  return cutVisible(line).map(({ text, isCode, start }) =>
    isCode ? (
      <span key={start} className="invisible">
        {text}
      </span>
    ) : (
      text
    ),
  )
}

/** Several lines, with line feeds in between. */
export function VisibleLines({ lines }: { lines: readonly string[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order
    <Fragment key={index}>
      {index > 0 && '\n'}
      <VisibleText line={line} />
    </Fragment>
  ))
}

type Part = { readonly text: string; readonly isCode: boolean; readonly start: number }

/** Cuts a line into what is shown as it is and the codes of what is not seen. `start` is the place in the line. */
export function cutVisible(line: string): Part[] {
  const parts: Part[] = []
  let from = 0
  const plainUntil = (end: number) => {
    if (end > from) parts.push({ text: line.slice(from, end), isCode: false, start: from })
  }
  for (const { start, end, code } of findInvisible(line)) {
    plainUntil(start)
    parts.push({ text: code, isCode: true, start })
    from = end
  }
  plainUntil(line.length)
  return parts
}
