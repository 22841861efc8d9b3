import { Choice } from './choice.tsx'
import { useField } from './form-fields.ts'

type Props = {
  label: string
  name: string
  options: readonly { readonly value: string; readonly label: string }[]
  disabled?: boolean
}

export function ChoiceField({ name, ...choice }: Props) {
  const { value = '', onChange, fault } = useField(name)
  return (
    <>
      <Choice {...choice} value={value} onChange={(chosen) => onChange?.(chosen)} />
      {fault !== undefined && <p className="fault">{fault}</p>}
    </>
  )
}
