import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { useAct } from '../../../call/use-act.ts'
import { Confirm } from '../../../parts/confirm.tsx'

type Props = { alias: string; name: string; onClose: () => void }

export function RemoveVariable({ alias, name, onClose }: Props) {
  const remove = useAct(changeEnvironment, {
    changes: [readEnvironment],
    done: () => `Removed ${name}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Remove variable"
      isRunning={remove.isRunning}
      error={remove.error}
      onConfirm={() => remove.run({ alias, remove: [name] })}
      onClose={onClose}
    >
      <p>
        The next deploy or start of <strong>{alias}</strong> runs without <code>{name}</code>. Its value cannot be read
        back.
      </p>
    </Confirm>
  )
}
