import { useEffect, useRef } from 'react'
import type { z } from 'zod'
import { Empty } from '#console/parts/list/empty.tsx'
import { useIsNarrow } from '#console/parts/list/use-is-narrow.ts'
import type { querySource } from '#contract/data-sources/sources.ts'
import '#console/styles/ask.css'

type Answer = z.infer<typeof querySource.output>
type Hit = Answer['results'][number]

/** The nearest rows with their scores, or that no row matches. */
export function Hits({ answer }: { answer: Answer }) {
  const hits = useRef<HTMLElement>(null)
  const isNarrow = useIsNarrow()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is shown, which a form above it would hide
  useEffect(() => {
    if (isNarrow) hits.current?.scrollIntoView()
  }, [answer, isNarrow])
  return (
    <section ref={hits} aria-label="Hits" className="stack hits-part">
      <div role="status">
        <h2>{answer.count === 1 ? '1 hit' : `${answer.count} hits`}</h2>
      </div>
      <Verdict of={answer.answerable} />
      {answer.note !== undefined && <p className="banner">{answer.note}</p>}
      {answer.results.length === 0 ? (
        <Empty title="No row matches">
          <p>The source answered with nothing. Remove a filter, or ask for something else.</p>
        </Empty>
      ) : (
        <ol className="hits">
          {answer.results.map((hit, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries with the same id can come from several tables
            <li key={index} className="card">
              <HitCard hit={hit} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** A warning for `no` and `unsure`, otherwise nothing. */
function Verdict({ of: answerable }: { of: Answer['answerable'] }) {
  if (answerable === 'no')
    return (
      <p className="banner">
        The source has nothing about this: all hits are less similar than rows that answer a question.
      </p>
    )
  if (answerable === 'unsure')
    return <p className="banner">These hits may not answer the question. Read them before you rely on them.</p>
  return null
}

function HitCard({ hit: { id, title, metadata } }: { hit: Hit }) {
  const { _score, _target, _relevance, ...columns } = metadata
  const rest = Object.entries(columns)
  return (
    <>
      <header className="row">
        <h3>{title ?? id}</h3>
        <span className="soft">
          Score <strong className="figure">{scoreText(_score)}</strong>
        </span>
        {_relevance !== undefined && _relevance !== 'unknown' && (
          <span className="soft">
            Relevance <strong>{textOf(_relevance)}</strong>
          </span>
        )}
        <span className="soft">
          Target <code>{textOf(_target)}</code>
        </span>
        <span className="soft">
          Id <code>{id}</code>
        </span>
      </header>
      {rest.length > 0 && (
        <dl>
          {rest.map(([column, value]) => (
            <div key={column} className="pair">
              <dt>{column}</dt>
              <dd>{textOf(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

function scoreText(score: unknown): string {
  return typeof score === 'number' ? score.toFixed(3) : 'unknown'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
