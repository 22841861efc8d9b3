import {
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { capabilitiesOf, type FixtureTool, text } from './fixture-content.ts'

type State = { round: number }
/** Any key will do: it lives as long as the fixture. */
export const stateCodec = createRequestStateCodec<State>({ key: 'k'.repeat(32) })

const ask = (message: string, key: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] },
  })
const askYesOrNo = (message: string, key: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [key]: { type: 'boolean' } }, required: [key] },
  })
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens })

type Inputs = Record<string, InputRequest>
const answered = (ctx: ServerContext, inputs: Inputs) =>
  Object.keys(inputs).every((key) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing')

/** Asks until all is answered, then tells what it heard. */
export function asking(inputs: Inputs, state?: { words: string }): FixtureTool {
  return async (ctx) => {
    if (answered(ctx, inputs) && (!state || ctx.mcpReq.requestState() !== undefined)) {
      return { content: [text(`${state?.words ?? ''} ${JSON.stringify(ctx.mcpReq.inputResponses)}`)] }
    }
    return inputRequired({
      inputRequests: inputs,
      ...(state && { requestState: await stateCodec.mint({ round: 1 }) }),
    })
  }
}

const ROUNDS: Inputs[] = [
  { step1: ask('Step 1: What is your name?', 'name') },
  { step2: ask('Step 2: What is your favorite color?', 'color') },
]

const multiRound: FixtureTool = async (ctx) => {
  const before = ctx.mcpReq.requestState<State>()?.round ?? 0
  const round = before > 0 && answered(ctx, ROUNDS[before - 1]!) ? before : 0
  const inputRequests = ROUNDS[round]
  if (!inputRequests) return { content: [text('all rounds are done')] }
  return inputRequired({ inputRequests, requestState: await stateCodec.mint({ round: round + 1 }) })
}

/** Only what the client said it can do. */
const byCapability: FixtureTool = async (ctx) => {
  const can = capabilitiesOf(ctx)
  const inputRequests: Inputs = {
    ...(can.sampling && { greeting: sample('Generate a greeting', 50) }),
    ...(can.elicitation && { user_name: ask('What is your name?', 'name') }),
  }
  return Object.keys(inputRequests).length > 0
    ? inputRequired({ inputRequests })
    : { content: [text('nothing to ask')] }
}

const name = { user_name: ask('What is your name?', 'name') }
const confirm = { confirm: askYesOrNo('Please confirm', 'ok') }
const roots = { client_roots: inputRequired.listRoots() }

export const INPUT_TOOLS: Record<string, FixtureTool> = {
  test_streaming_elicitation: asking(name),
  test_input_required_result_elicitation: asking(name),
  test_input_required_result_sampling: asking({ capital_question: sample('What is the capital of France?', 100) }),
  test_input_required_result_list_roots: asking(roots),
  test_input_required_result_request_state: asking(confirm, { words: 'state-ok' }),
  test_input_required_result_tampered_state: asking(confirm, { words: 'state-ok' }),
  test_input_required_result_multiple_inputs: asking(
    { ...name, greeting: sample('Generate a greeting', 50), ...roots },
    { words: 'all heard' },
  ),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: byCapability,
}

export const promptInput = { user_context: ask('What context should the prompt use?', 'context') }
