import { useNavigate } from '@tanstack/react-router'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import {
  type Check,
  changeCheck,
  deleteCheck,
  listCheckRuns,
  listChecks,
  readCheck,
  runCheck,
} from '#contract/checks/checks.ts'

export function CheckActs({ alias, check }: { alias: string; check: Check }) {
  const navigate = useNavigate()
  const changes = [listChecks, readCheck, listCheckRuns]
  const named = { alias, check: check.id }
  return (
    <>
      <ActButton op={runCheck} input={named} look="main" changes={changes} done={`Started ${check.name}.`}>
        Run check
      </ActButton>
      <ActButton
        op={changeCheck}
        input={{ ...named, enabled: !check.enabled }}
        changes={changes}
        done={({ enabled }) => (enabled ? `Resumed ${check.name}.` : `Paused ${check.name}.`)}
      >
        {check.enabled ? 'Pause check' : 'Resume check'}
      </ActButton>
      <AskButton
        look="danger"
        title="Delete check"
        typed={check.name}
        op={deleteCheck}
        input={named}
        changes={[listChecks]}
        done={`Deleted ${check.name}.`}
        after={() => void navigate({ to: '/apps/$alias/checks', params: { alias } })}
      >
        <p>The check is deleted with its history. Nobody is told about it any more.</p>
      </AskButton>
    </>
  )
}
