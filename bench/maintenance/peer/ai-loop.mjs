import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'

/**
 * Runs the loop of the package `ai` many times at once on one budget, as its documentation shows: a condition to stop
 * that looks at what was spent so far, and tools that the loop executes.
 */
export async function runAiLoops({ baseUrl, apiKey, model, runs, budget, maxSteps, prompt, toolNames, toolResult }) {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: baseUrl, apiKey })
  let spent = 0
  const inputSchema = jsonSchema({ type: 'object', additionalProperties: true })
  const tools = Object.fromEntries(
    toolNames.map((name) => [name, tool({ description: name, inputSchema, execute: async () => toolResult })]),
  )
  const runOne = () =>
    generateText({
      model: provider(model),
      prompt,
      tools,
      maxRetries: 0,
      stopWhen: [isStepCount(maxSteps), () => spent >= budget],
      onStepEnd: ({ usage }) => {
        spent += usage.totalTokens
      },
    })
  const results = await Promise.all(Array.from({ length: runs }, runOne))
  return { spent, steps: results.reduce((sum, { steps }) => sum + steps.length, 0) }
}
