/** Version of the SDK. Since 0.0.18 a worker sends the projected token of its deployment. */
export const SDK_VERSION = '0.0.18'
