import { useCall } from '#console/call/use-call.ts'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { TextArea } from '#console/parts/form/text-area.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { listModels } from '#contract/ai.ts'

/** Fields of a check by a model: the question it judges and the model. Only models that can chat are offered. */
export function AgentFields({ model }: { model: string }) {
  const models = useCall(listModels, {})
  return (
    <>
      <TextArea
        label="Instructions"
        name="definition.instructions"
        required
        hint="What the model judges, and when the check fails. It sees the log of the last 15 minutes."
      />
      <Loaded of={models}>
        {({ data }) => {
          const chat = data.filter(({ capabilities }) => capabilities.includes('chat'))
          if (chat.length === 0)
            return (
              <Field
                label="Model"
                name="definition.model"
                required
                hint="provider/model. This installation has no chat model yet: its operator sets one up."
              />
            )
          const options = chat.map(({ id }) => ({ value: id, label: id }))
          return (
            <ChoiceField
              label="Model"
              name="definition.model"
              options={[...(model === '' ? [{ value: '', label: 'Choose a model' }] : []), ...options]}
            />
          )
        }}
      </Loaded>
    </>
  )
}
