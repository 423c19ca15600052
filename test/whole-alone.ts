/**
 * A test file that imports this is run by `npm run test:whole` alone. Its tests take long and prove what shorter tests of a
 * usual run touch too, so that a usual run stays within three minutes on two cores.
 */
export {};
