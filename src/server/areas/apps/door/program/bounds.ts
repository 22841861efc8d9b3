/** Bytes of an answer to svc itself that are passed on. */
export const MAX_ANSWER_BYTES = 64 * 1024
/** The longest line has such an answer in base64. */
export const MAX_LINE_BYTES = 128 * 1024
/** Bytes of one connection that are recorded of a suspected app. */
export const MAX_RECORDED_BYTES = 32 * 1024
/** Requests that one door has under way. One more is answered with 503. */
export const MAX_UNDER_WAY = 1_024
/** Those to one app, so that no app takes the slots of all others. */
export const MAX_UNDER_WAY_PER_APP = 128
/** WebSockets that one door has open. They have places of their own, because they last for hours. */
export const MAX_SOCKETS = 1_024
/** Those to one app. */
export const MAX_SOCKETS_PER_APP = 256
/** Those of one client, by its address. */
export const MAX_SOCKETS_PER_ADDRESS = 128
/** Bytes of orders that a door has not read yet. One that stops reading is ended. */
export const MAX_UNREAD_BYTES = 1024 * 1024
