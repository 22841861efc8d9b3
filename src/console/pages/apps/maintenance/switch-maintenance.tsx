import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { listMaintenanceRuns, readMaintenance } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance } from '#contract/maintenance/settings.ts'

type Props = { alias: string; isEnabled: boolean; onClose: () => void }

/** Asks before the agent is switched on or off for an app. */
export function SwitchMaintenance({ alias, isEnabled, onClose }: Props) {
  const act = useAct(changeAppMaintenance, {
    changes: [readMaintenance, listMaintenanceRuns],
    done: ({ enabled }) => `The maintenance agent is ${enabled ? 'on' : 'off'} for ${alias}.`,
    after: onClose,
  })
  return (
    <Confirm
      title={isEnabled ? 'Switch agent off' : 'Switch agent on'}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, enabled: !isEnabled })}
      onClose={onClose}
    >
      {isEnabled ? (
        <p>
          A run of <strong>{alias}</strong> that is under way stops at once: it writes, reads and spends nothing any
          more. Its history stays.
        </p>
      ) : (
        <p>
          From the next night on, the agent reads the logs, checks and source of <strong>{alias}</strong> and sends
          parts of them to the model. It changes nothing by itself: proposals wait for a person.
        </p>
      )}
    </Confirm>
  )
}
