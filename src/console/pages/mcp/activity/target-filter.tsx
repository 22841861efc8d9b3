import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { useHasRole } from '#console/session/session.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { listFunctions } from '#contract/functions.ts'
import { withChosen } from './with-chosen.ts'

type Props = {
  type: 'functions' | 'data_sources'
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** The functions or the sources that can be chosen. */
export function TargetFilter({ type, value = '', onChange }: Props) {
  const targets = useTargets(type)
  // Without anything to choose the list would only say “every”.
  if (targets.length === 0 && value === '') return null
  const [label, all] = type === 'functions' ? ['Function', 'Every function'] : ['Data source', 'Every source']
  return (
    <Choice
      label={label}
      value={value}
      options={withChosen([{ value: '', label: all }, ...targets], value, value)}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  )
}

function useTargets(type: Props['type']) {
  const isDeveloper = useHasRole('developer')
  const isFunctions = type === 'functions'
  const functions = useCall(listFunctions, { limit: 100 }, { enabled: isFunctions })
  const managed = useCall(listSources, { limit: 100 }, { enabled: !isFunctions && isDeveloper })
  const askable = useCall(listSlimSources, {}, { enabled: !isFunctions && !isDeveloper })
  if (isFunctions)
    return (functions.data?.items ?? []).map(({ alias, name }) => ({
      value: `${alias}/${name}`,
      label: `${alias}/${name}`,
    }))
  if (isDeveloper) return (managed.data?.items ?? []).map(({ source_id, name }) => ({ value: source_id, label: name }))
  return (askable.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
}
