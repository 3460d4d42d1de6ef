export const x: number = 1;
console.log(process.version, process.argv.slice(2));
