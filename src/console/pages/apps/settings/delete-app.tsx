import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { deleteApp, listApps } from '#contract/apps/apps.ts'

/** Deletes the app after its alias was typed. */
export function DeleteApp({ alias }: { alias: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section className="card">
      <h2>Delete app</h2>
      <p>The app is stopped and deleted with its revisions, logs, checks and tickets.</p>
      <button type="button" className="button danger" onClick={() => setAsking(true)}>
        Delete app
      </button>
      {isAsking && <Ask alias={alias} onClose={() => setAsking(false)} />}
    </section>
  )
}

function Ask({ alias, onClose }: { alias: string; onClose: () => void }) {
  const navigate = useNavigate()
  const act = useAct(deleteApp, {
    changes: [listApps],
    done: () => `${alias} is being deleted.`,
    after: () => void navigate({ to: '/apps' }),
  })
  return (
    <Confirm
      title="Delete app"
      typed={alias}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, confirm: alias })}
      onClose={onClose}
    >
      <p>
        <strong>{alias}</strong> and everything that belongs to it are deleted. This cannot be undone. The alias can be
        used again afterwards.
      </p>
    </Confirm>
  )
}
