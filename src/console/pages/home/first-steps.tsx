import { useState } from 'react'
import { useHasRole, useSession } from '#console/session/session.ts'
import { AskStep } from './ask-step.tsx'
import { ConnectStep } from './connect-step.tsx'
import { InviteStep } from './invite-step.tsx'
import { useFirstSteps } from './use-first-steps.ts'

type Props = {
  /** Shown only where this is so: the guide stands first until a question was answered, and below what it asks then. */
  isBegun: boolean
}

/** Guides a newcomer to the first answered question, a connected agent and a colleague. Gone when all is done. */
export function FirstSteps({ isBegun }: Props) {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const key = `svc-first-steps-hidden ${me.user.id} ${me.org.id}`
  const [isHidden, setHidden] = useState(() => localStorage.getItem(key) !== null)
  const done = useFirstSteps(!isHidden)
  if (isHidden || !done || done.ask !== isBegun || (done.ask && done.connect && done.invite)) return null
  return (
    <section className="card first-steps" aria-labelledby="first-steps">
      <header className="row">
        <h2 id="first-steps">First steps</h2>
        <button
          type="button"
          className="button quiet small"
          onClick={() => {
            localStorage.setItem(key, '1')
            setHidden(true)
          }}
        >
          Hide first steps
        </button>
      </header>
      <ol>
        <AskStep isDone={done.ask} />
        <ConnectStep isDone={done.connect} />
        {isOwner && <InviteStep isDone={done.invite} />}
      </ol>
    </section>
  )
}
