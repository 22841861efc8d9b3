import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { stageEdit } from '#contract/maintenance/tools.ts'
import { tryParseJson, tryParseObject } from '#lib/json.ts'
import type { ChatAnswer, ChatMessage, ChatModel, ChatRequest, ChatToolCall } from '#ports/chat-model.ts'
import { ChatModelError } from '#ports/chat-model.ts'
import { type Fact, factOf, type ToolAnswer } from './facts.ts'
import { FINISH_TOOL, Finish } from './finish.ts'
import { type Judged, judgeFinish, type RunKnowledge } from './judge.ts'
import type { AgentLimits } from './limits.ts'
import { LAST_STEP, NO_TOOL_CALLED, rulesFor } from './prompt.ts'
import { runTool, shownResult } from './run-tool.ts'
import type { Spender } from './spend.ts'
import { describeTools } from './tool-table.ts'

/** How a conversation ended. `reason` is a sentence for people and contains nothing that was read. */
export type Ending = Exclude<Judged, { fault: unknown }> | { readonly failed: TerminalCode; readonly reason: string }

type Conversation = {
  readonly model: Pick<ChatModel, 'mostTokens'>
  readonly spender: Spender
  readonly tools: Client
  readonly signal: AbortSignal
  readonly limits: AgentLimits
  readonly runsTests: boolean
  /** Tokens that this run may use. */
  readonly ceiling: number
  /** Answers of tools that were read before the first call of the model. They begin the conversation. */
  readonly read: readonly ToolAnswer[]
  readonly knowledge: Pick<RunKnowledge, 'files' | 'detected'>
}

/** Lets a model look at an app with its tools until it ends the run or reaches a limit. One call of it at a time. */
export async function converse(given: Conversation): Promise<Ending> {
  const { limits } = given
  const talk = new Talk(given)
  for (let step = 1; step <= limits.steps; step++) {
    const answer = await talk.ask(step === limits.steps)
    if ('failed' in answer) return answer
    const ending = await talk.take(answer)
    if (ending) return ending
  }
  return talk.fault ?? failed('step_limit', `The model did not end the run within ${limits.steps} answers.`)
}

function failed(code: TerminalCode, reason: string): Extract<Ending, { failed: unknown }> {
  return { failed: code, reason }
}

/** Most characters of text and arguments of an answer that are sent back to the model with the next call. */
const MAX_ECHO = 40_000

type StagedEdits = z.output<typeof stageEdit.output>

/** The conversation so far, and what became known in it. */
class Talk {
  readonly #given: Conversation
  readonly #messages: ChatMessage[]
  readonly #tools = describeTools()
  readonly #facts = new Map<number, Fact>()
  #staged: StagedEdits = { staged: 0, files: [] }
  #isReminded = false
  /** Set by a final answer that did not hold. The model may correct it once. */
  fault: Extract<Ending, { failed: unknown }> | undefined

  constructor(given: Conversation) {
    this.#given = given
    for (const answer of given.read) this.#remember(answer)
    this.#messages = [
      { role: 'system', text: rulesFor(given.limits, given.runsTests) },
      { role: 'user', text: firstMessage(given) },
    ]
  }

  /** Calls the model. It must finish with this answer if it is the last one, or if its tokens end with it. */
  async ask(isLast: boolean): Promise<ChatAnswer | Extract<Ending, { failed: unknown }>> {
    const { spender, ceiling } = this.#given
    const likely = this.#likelyTokens(this.#request(false))
    if (spender.spent() + likely > ceiling) {
      return failed('budget_exhausted', `The run used ${spender.spent()} of the ${ceiling} tokens of its share.`)
    }
    const mustFinish = isLast || spender.spent() + 2 * likely > ceiling
    if (mustFinish) this.#messages.push({ role: 'user', text: LAST_STEP })
    const answer = await this.#call(this.#request(mustFinish))
    if (answer === 'exhausted') {
      return failed('budget_exhausted', "The organization's tokens for agents are used up for today.")
    }
    return answer
  }

  #request(mustFinish: boolean): ChatRequest {
    return {
      messages: this.#messages,
      tools: this.#tools,
      ...(mustFinish && { toolChoice: { name: FINISH_TOOL } }),
      maxOutputTokens: this.#given.limits.outputTokens,
    }
  }

  /** About three bytes make a token; the reservation counts one for each byte, which is the most it can be. */
  #likelyTokens(request: ChatRequest): number {
    return Math.ceil((this.#given.model.mostTokens(request) - request.maxOutputTokens) / 3) + 500
  }

  /** A connection that broke is tried once more. Both attempts are booked. */
  async #call(request: ChatRequest): Promise<ChatAnswer | 'exhausted' | Extract<Ending, { failed: unknown }>> {
    const { spender, signal } = this.#given
    for (let tried = 1; ; tried++) {
      try {
        return await spender.call(request, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof ChatModelError)) throw error
        if (tried < 2 && error.mayHaveCost && error.code === 'UNAVAILABLE') continue
        return failed('model_error', error.message)
      }
    }
  }

  /** Does what the model asks for. Returns how the conversation ended, or undefined if it goes on. */
  async take(answer: ChatAnswer): Promise<Ending | undefined> {
    const { text, toolCalls, stopReason } = answer
    if (stopReason === 'content_filter') return failed('model_refused', 'The model refused to answer.')
    const echoed = toolCalls.map(shortened)
    this.#messages.push({
      role: 'assistant',
      text: text.slice(0, MAX_ECHO),
      ...(echoed.length > 0 && { toolCalls: echoed }),
    })
    if (toolCalls.length === 0) {
      if (this.#isReminded) return this.fault ?? failed('bad_final', 'The model did not end the run with finish.')
      this.#isReminded = true
      this.#messages.push({ role: 'user', text: NO_TOOL_CALLED })
      return undefined
    }
    const finish = toolCalls.find(({ name }) => name === FINISH_TOOL)
    if (!finish) return this.#runTools(toolCalls)
    if (toolCalls.length > 1) {
      for (const { id } of toolCalls) this.#refuse(id, 'finish must be the only call of an answer. Nothing was called.')
      return undefined
    }
    return this.#finish(finish)
  }

  /** One after another: each answer is evidence with a number, and edits build on each other. */
  async #runTools(calls: readonly ChatToolCall[]): Promise<undefined> {
    const { tools, signal, limits } = this.#given
    for (const [index, call] of calls.entries()) {
      if (index >= limits.callsPerStep) {
        this.#refuse(call.id, `Not called: an answer has at most ${limits.callsPerStep} calls.`)
        continue
      }
      const result = await runTool(tools, call, signal)
      if ('tool' in result) this.#remember(result)
      this.#messages.push({ role: 'tool', callId: call.id, text: shownResult(result) })
    }
    return undefined
  }

  #remember(result: ToolAnswer): void {
    if (result.tool === 'stage_edit') this.#staged = result.answer
    else this.#facts.set(result.answer.evidence_id, factOf(result))
  }

  #refuse(callId: string, error: string): void {
    this.#messages.push({ role: 'tool', callId, text: JSON.stringify({ error }) })
  }

  #finish(call: ChatToolCall): Ending | undefined {
    const judged = this.#judge(call.arguments)
    if (!('fault' in judged)) return judged
    const isSecond = this.fault !== undefined
    this.fault = failed(judged.fault, `The final answer of the model did not hold. ${judged.message}`)
    this.#refuse(call.id, `${judged.message} Correct it and call finish again.`)
    return isSecond ? this.fault : undefined
  }

  #judge(written: string) {
    const { data, error } = Finish.safeParse(tryParseJson(written))
    if (error) return { fault: 'bad_final', message: 'The arguments of finish do not fit its schema.' } as const
    const { staged: stagedEdits, files: stagedFiles } = this.#staged
    return judgeFinish(data, { ...this.#given.knowledge, facts: this.#facts, stagedEdits, stagedFiles })
  }
}

/** Providers refuse arguments that are no JSON object when they are sent back. */
function shortened(call: ChatToolCall): ChatToolCall {
  const isShort = call.arguments.length <= MAX_ECHO
  return isShort && tryParseObject(call.arguments) ? call : { ...call, arguments: '{}' }
}

/** Each line is one JSON value, so that no text in it can end it. */
function firstMessage({ read, knowledge }: Conversation): string {
  const lines = read.map((answer) => `${answer.tool} ${shownResult(answer)}`)
  const detected = JSON.stringify({ untrusted_data: knowledge.detected })
  return ['First evidence:', ...lines, 'What fixed rules find in it:', detected].join('\n')
}
