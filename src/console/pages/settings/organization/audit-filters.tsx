import { Choice } from '#console/parts/form/choice.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { useHasRole } from '#console/session/session.ts'
import { PersonFilter } from '../../mcp/activity/person-filter.tsx'
import { withChosen } from '../../mcp/activity/with-chosen.ts'
import type { AuditSearch } from './audit-search.ts'
import { subjectText } from './audit-text.ts'
import '#console/styles/mcp.css'

const EVERYTHING = { value: '', label: 'Everything' }
/** First parts of actions, in the order of the navigation. A link can name another one. */
const SUBJECTS = [
  ['org', 'member', 'invitation', 'domains', 'token', 'session', 'agent', 'support'],
  ['database', 'data_source', 'quota'],
  ['app', 'deploy', 'revision', 'check', 'pipeline', 'proposal', 'finding', 'maintenance'],
  ['webhook', 'email', 'chat', 'forum', 'subscription', 'delivery', 'notification_settings'],
].flat()

type Props = { search: AuditSearch; onChange: (changed: Partial<AuditSearch>) => void }

/** Filters of the audit log. They stand in the address. */
export function AuditFilters({ search, onChange }: Props) {
  const isOwner = useHasRole('owner')
  const { subject = '', person, from = '', to = '' } = search
  const subjects = SUBJECTS.map((value) => ({ value, label: subjectText(value) }))
  return (
    <search className="filters activity-filters">
      {isOwner && (
        <Choice
          label="About"
          value={subject}
          options={withChosen([EVERYTHING, ...subjects], subject, subjectText(subject))}
          onChange={(chosen) => onChange({ subject: chosen === '' ? undefined : chosen })}
        />
      )}
      {isOwner && <PersonFilter value={person} onChange={(chosen) => onChange({ person: chosen })} />}
      <Field
        label="From"
        type="date"
        value={from}
        onChange={(day) => onChange({ from: day === '' ? undefined : day })}
      />
      <Field label="To" type="date" value={to} onChange={(day) => onChange({ to: day === '' ? undefined : day })} />
    </search>
  )
}
