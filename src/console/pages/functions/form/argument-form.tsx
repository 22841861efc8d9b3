import { useId } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { ArgumentField } from './argument-field.tsx'
import { parseArguments } from './arguments.ts'
import { type FormState, showField, typeField, typeJson } from './form-state.ts'
import type { Argument } from './read-fields.ts'
import '#console/styles/functions.css'

type Props = {
  fields: readonly Argument[]
  state: FormState
  /** The answer of the server, whose faults of arguments are shown at their fields. */
  error: unknown
  isWrong: boolean
  onChange: (state: FormState) => void
}

/** The arguments of a function as fields, with the JSON that is sent beside them. */
export function ArgumentForm({ fields, state, error, isWrong, onChange }: Props) {
  const parsed = parseArguments(state.json)
  return (
    <div className={fields.length > 0 ? 'arguments' : undefined}>
      {fields.length > 0 && (
        <fieldset disabled={'fault' in parsed}>
          <legend className="visually-hidden">Arguments</legend>
          {'fault' in parsed && <p className="soft">Correct the JSON to use these fields again.</p>}
          {fields.map((field) => (
            <ArgumentField
              key={field.name}
              field={field}
              shown={'fault' in parsed ? { text: '' } : showField(state, parsed.value, field)}
              fault={faultOf(error, `arguments.${field.name}`)}
              onChange={(text) => onChange(typeField(state, fields, field.name, text))}
            />
          ))}
        </fieldset>
      )}
      <JsonBox json={state.json} isWrong={isWrong || 'fault' in parsed} onChange={(json) => onChange(typeJson(json))} />
    </div>
  )
}

type BoxProps = { json: string; isWrong: boolean; onChange: (json: string) => void }

function JsonBox({ json, isWrong, onChange }: BoxProps) {
  const id = useId()
  return (
    <div className="field full">
      <label htmlFor={id}>Arguments as JSON</label>
      <textarea
        id={id}
        className="code"
        rows={5}
        spellCheck={false}
        value={json}
        aria-invalid={isWrong}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
