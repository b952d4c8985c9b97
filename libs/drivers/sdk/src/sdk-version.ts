/** The version of the driver contract, which must be in the range `sdk` of a manifest. */
export const SDK_VERSION = '1.0.0';
