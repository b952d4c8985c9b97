/** Version of the driver contract; a manifest's `sdk` range is compared with it. */
export const SDK_VERSION = '1.0.0';
