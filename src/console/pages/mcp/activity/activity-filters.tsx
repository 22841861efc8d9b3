import { Choice } from '#console/parts/form/choice.tsx'
import { useHasRole } from '#console/session/session.ts'
import { PERIODS } from './activity-search.ts'
import { PersonFilter } from './person-filter.tsx'
import type { ActivitySearch } from './read-activity-search.ts'
import { TargetFilter } from './target-filter.tsx'
import '#console/styles/mcp.css'
import { Field } from '#console/parts/form/field.tsx'

const ALL = ''

const TYPES = [
  { value: 'functions', label: 'Functions' },
  { value: 'data_sources', label: 'Data sources' },
] as const
const WAYS = [
  { value: ALL, label: 'mcp, cli or api' },
  { value: 'mcp', label: 'mcp' },
  { value: 'cli', label: 'cli' },
  { value: 'api', label: 'api' },
] as const
const STATUSES = [
  { value: ALL, label: 'Every result' },
  { value: 'answered', label: 'Answered' },
  { value: 'refused', label: 'Refused' },
  { value: 'failed', label: 'Failed' },
  { value: 'unknown', label: 'Unknown' },
] as const

type Props = {
  search: ActivitySearch
  onChange: (changed: Partial<ActivitySearch>) => void
  /** On the page of one source its type and the source are not to be chosen. */
  isOfOneSource?: boolean
}

/** Filters of a view. They stand in the address. */
export function ActivityFilters({ search, onChange, isOfOneSource = false }: Props) {
  const isAdmin = useHasRole('admin')
  const { type = 'functions', period = 'any' } = search
  return (
    <search className="filters activity-filters">
      {!isOfOneSource && (
        <>
          <Choice
            label="Type"
            value={type}
            options={TYPES}
            onChange={(chosen) => onChange({ type: chosen === 'functions' ? undefined : chosen, target: undefined })}
          />
          <TargetFilter key={type} type={type} value={search.target} onChange={(target) => onChange({ target })} />
        </>
      )}
      {isAdmin && <PersonFilter value={search.person} onChange={(person) => onChange({ person })} />}
      <Choice
        label="Source"
        value={search.source ?? ALL}
        options={WAYS}
        onChange={(source) => onChange({ source: source === ALL ? undefined : source })}
      />
      <Choice
        label="Result"
        value={search.status ?? ALL}
        options={STATUSES}
        onChange={(status) => onChange({ status: status === ALL ? undefined : status })}
      />
      <Choice
        label="Time"
        value={period}
        options={PERIODS}
        onChange={(chosen) =>
          onChange({ period: chosen === 'any' ? undefined : chosen, from: undefined, to: undefined })
        }
      />
      {period === 'days' && (
        <>
          <DayField label="From" value={search.from} onChange={(from) => onChange({ from })} />
          <DayField label="To" value={search.to} onChange={(to) => onChange({ to })} />
        </>
      )}
    </search>
  )
}

type DayProps = { label: string; value: string | undefined; onChange: (value: string | undefined) => void }

/** A day of the calendar, or none. */
function DayField({ label, value = '', onChange }: DayProps) {
  return <Field label={label} type="date" value={value} onChange={(day) => onChange(day === '' ? undefined : day)} />
}
