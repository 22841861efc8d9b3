import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Field } from '#console/parts/field.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { TextArea } from '#console/parts/text-area.tsx'
import { listModels } from '#contract/ai.ts'

type Props = {
  instructions: string
  model: string
  faultOf: (field: string) => string | undefined
  onChange: (changed: { instructions?: string; model?: string }) => void
}

/** Fields of a check by a model: the question it judges and the model. Only models that can chat are offered. */
export function AgentFields({ instructions, model, faultOf, onChange }: Props) {
  const models = useCall(listModels, {})
  return (
    <>
      <TextArea
        label="Instructions"
        value={instructions}
        onChange={(text) => onChange({ instructions: text })}
        required
        maxLength={4000}
        hint="What the model judges, and when the check fails. It sees the log of the last 15 minutes."
        fault={faultOf('definition.instructions')}
      />
      <Loaded of={models}>
        {({ data }) => {
          const chat = data.filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id)
          if (chat.length === 0)
            return (
              <Field
                label="Model"
                value={model}
                onChange={(name) => onChange({ model: name })}
                required
                maxLength={200}
                hint="provider/model. This installation has no chat model yet: its operator sets one up."
                fault={faultOf('definition.model')}
              />
            )
          return (
            <Choice
              label="Model"
              value={model}
              options={[...(model === '' ? [{ value: '', label: 'Choose a model' }] : []), ...chat.map(asOption)]}
              onChange={(name) => onChange({ model: name })}
            />
          )
        }}
      </Loaded>
    </>
  )
}

function asOption(id: string) {
  return { value: id, label: id }
}
