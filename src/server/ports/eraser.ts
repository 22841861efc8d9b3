/** A person who is to be forgotten. */
export type LeavingPerson = { readonly id: string; readonly email: string; readonly name: string | null }

/**
 * How an area forgets an organization or a person. A process can end in the middle of any step, so each can be repeated
 * and does what is left.
 */
export type Eraser = {
  /** Ends what still works for the organization. An hour later `eraseOrganization` is called. */
  closeOrganization?(orgId: string, signal: AbortSignal): Promise<void>
  /** Returns what is not over yet, such as an app that is still being stopped, and undefined when everything is gone. */
  eraseOrganization?(orgId: string, signal: AbortSignal): Promise<string | undefined>
  /** Deletes what is the person's alone, and their address wherever else it is. Returns as `eraseOrganization` does. */
  erasePerson?(person: LeavingPerson, signal: AbortSignal): Promise<string | undefined>
}
