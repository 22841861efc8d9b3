import { Field } from '#console/parts/field.tsx'

type Props = { label: string; value: string | undefined; onChange: (value: string | undefined) => void }

/** A day of the calendar, or none. */
export function DayField({ label, value = '', onChange }: Props) {
  return <Field label={label} type="date" value={value} onChange={(day) => onChange(day === '' ? undefined : day)} />
}
