/** Waits for what happens before a question of a session. The second question has the number 1. */
export type Before = (question: number) => Promise<void>

/** A computer with one agent, which keeps its tokens there. */
export type Computer = {
  /** Connects the agent, with one approval of the person. */
  login(): Promise<void>
  /** Asks the example so many times in one session. Returns what the agent got, or its error, for each question. */
  ask(times?: number, before?: Before): Promise<string[]>
  /** How often the person approved. */
  logins(): number
  /** How often the agent opened the browser and the page did not come, because svc was gone. */
  opensInVain(): number
}
