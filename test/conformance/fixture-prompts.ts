import {
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { embedded, image, text } from './fixture-content.ts'
import { promptInput } from './fixture-input.ts'

type Arguments = Record<string, string>
type FixturePrompt = {
  arguments?: readonly string[]
  get: (args: Arguments, ctx: ServerContext) => GetPromptResult | InputRequiredResult
}

const say = (...content: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: content.map((one) => ({ role: 'user', content: one })),
})

export const PROMPTS: Record<string, FixturePrompt> = {
  test_simple_prompt: { get: () => say(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => say(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri = '' }) =>
      say(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: { get: () => say(image, text('Please analyze the image above.')) },
  test_input_required_result_prompt: {
    get: (_, ctx) =>
      ctx.mcpReq.inputResponses?.user_context
        ? say(text(`With context: ${JSON.stringify(ctx.mcpReq.inputResponses.user_context)}`))
        : inputRequired({ inputRequests: promptInput }),
  },
}
