import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Fault } from '#console/parts/fault.tsx'
import {
  type Check,
  changeCheck,
  deleteCheck,
  listCheckRuns,
  listChecks,
  readCheck,
  runCheck,
} from '#contract/checks/checks.ts'

/** Runs, pauses and deletes a check. */
export function CheckActs({ alias, check }: { alias: string; check: Check }) {
  const [isDeleting, setDeleting] = useState(false)
  const changes = [listChecks, readCheck, listCheckRuns]
  const run = useAct(runCheck, { changes, done: () => `Started ${check.name}.` })
  const change = useAct(changeCheck, {
    changes,
    done: ({ enabled }) => (enabled ? `Resumed ${check.name}.` : `Paused ${check.name}.`),
  })
  const named = { alias, check: check.id }
  return (
    <>
      <button type="button" className="button main" aria-busy={run.isRunning} onClick={() => run.run(named)}>
        Run check
      </button>
      <button
        type="button"
        className="button"
        aria-busy={change.isRunning}
        onClick={() => change.run({ ...named, enabled: !check.enabled })}
      >
        {check.enabled ? 'Pause check' : 'Resume check'}
      </button>
      <button type="button" className="button danger" onClick={() => setDeleting(true)}>
        Delete check
      </button>
      <Fault of={run.error ?? change.error} />
      {isDeleting && <Delete alias={alias} check={check} onClose={() => setDeleting(false)} />}
    </>
  )
}

function Delete({ alias, check, onClose }: { alias: string; check: Check; onClose: () => void }) {
  const navigate = useNavigate()
  const act = useAct(deleteCheck, {
    changes: [listChecks],
    done: () => `Deleted ${check.name}.`,
    after: () => void navigate({ to: '/apps/$alias/checks', params: { alias } }),
  })
  return (
    <Confirm
      title="Delete check"
      typed={check.name}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, check: check.id })}
      onClose={onClose}
    >
      <p>The check is deleted with its history. Nobody is told about it any more.</p>
    </Confirm>
  )
}
