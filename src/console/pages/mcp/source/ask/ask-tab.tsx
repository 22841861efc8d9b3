import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import type { z } from 'zod'
import { useAct } from '#console/call/use-act.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { type Source, useSource } from '../source.ts'
import { AskForm } from './ask-form.tsx'
import { Hits } from './hits.tsx'
import { EMPTY_DRAFT, readLink } from './question-link.ts'
import type { Question } from './same-request.ts'
import { SameRequest } from './same-request.tsx'

type Answer = z.infer<typeof querySource.output>

/** Tries a source: a question, its hits, and the same request for other clients. */
export function AskTab() {
  const source = useSource()
  if (!source.isExposed || source.labels?.length === 0) return <NotReady source={source} />
  return <TryIt source={source} />
}

/** A link fills in the form and never asks: a question is spent from the quota and recorded under the person's name. */
function TryIt({ source }: { source: Source }) {
  const { hash, state } = useLocation()
  const proposed = readLink(hash, source) ?? { ...EMPTY_DRAFT, query: state.question ?? '' }
  const [asked, setAsked] = useState<{ question: Question; answer: Answer }>()
  const ask = useAct(querySource, {
    changes: [listActivity, activityStatistics],
    after: (answer, { id, query, filters = {}, top_k = 10, target }) =>
      setAsked({ answer, question: { id, query, filters, top_k, ...(target !== undefined && { target }) } }),
  })
  return (
    <div className="stack ask">
      <AskForm
        key={hash}
        source={source}
        proposed={proposed}
        isRunning={ask.isRunning}
        error={ask.error}
        onAsk={ask.run}
      />
      {asked ? (
        <div className="stack">
          <Hits answer={asked.answer} />
          <SameRequest question={asked.question} />
        </div>
      ) : (
        <p className="state soft">The hits appear here.</p>
      )}
    </div>
  )
}

function NotReady({ source: { id, isExposed, isEnabled } }: { source: Source }) {
  if (!isEnabled)
    return (
      <Empty title="This source is switched off">
        <p>
          Nobody can ask it. An admin switches it on again under{' '}
          <Link to="/mcp/sources/$id/exposure" params={{ id }}>
            Exposure
          </Link>
          .
        </p>
      </Empty>
    )
  if (!isExposed)
    return (
      <Empty title="Not exposed yet">
        <p>
          Nobody can ask this source, agents neither. Choose a minimum role under{' '}
          <Link to="/mcp/sources/$id/exposure" params={{ id }}>
            Exposure
          </Link>
          , then ask it here.
        </p>
      </Empty>
    )
  return (
    <Empty title="No search configuration yet">
      <p>
        Questions need to know which table and columns to search. Save them under{' '}
        <Link to="/mcp/sources/$id/configuration" params={{ id }}>
          Configuration
        </Link>
        .
      </p>
    </Empty>
  )
}
