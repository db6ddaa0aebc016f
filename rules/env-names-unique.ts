import { type Container, defineRule, type EnvEntry, type Facts, gateState, type GateFact, listed, mappingsOf, type Problem, referencesIn } from "../src/api.js";
