import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { useHasRole, useSession } from '#console/session/session.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import { AskStep } from './ask-step.tsx'
import { ConnectStep } from './connect-step.tsx'
import { Step } from './step.tsx'
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

function InviteStep({ isDone }: { isDone: boolean }) {
  const { data } = useCall(signInMethods, {}, { enabled: !isDone })
  return (
    <Step title="Invite a colleague" isDone={isDone}>
      {data && <Invite />}
      {data?.providers.length === 0 && <SignInByMail />}
    </Step>
  )
}

function Invite() {
  return (
    <p>
      Invite them with a role under <Link to="/settings/organization/members">Members</Link>. They get a mail with a
      link.
    </p>
  )
}

function SignInByMail() {
  return (
    <p>
      They sign in by a mailed link. For Google, Microsoft or another provider,{' '}
      <Link to="/setup/identity-provider">set up an identity provider</Link>.
    </p>
  )
}
