import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'

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
