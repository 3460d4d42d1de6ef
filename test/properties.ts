// fast-check with one seed, so a failing run can be repeated and a failure points to the change under test. TEST_SEED
// draws other cases: `TEST_SEED=$RANDOM npm test -- billing`.
import fc from 'fast-check';

export const SEED = Number(process.env.TEST_SEED ?? 20_261_119);
fc.configureGlobal({ seed: SEED });

export default fc;
