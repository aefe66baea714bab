//! Networks as ONNX files, for other programs.
//!
//! The file takes `planes`, float32 (positions, planes, rows, columns) with row 0 at the top, boards of any size, and gives what the
//! player to move expects: `policy` (logits of the points and of the pass), and as far as the network tells them `value` (the chance to
//! win), `score` (points, komi included) and `ownership` (from −1 to 1). Its metadata has the architecture, as our own files have.
//!
//! ONNX is Protocol Buffers (onnx.proto3): a message is a list of fields, each a number, a kind and a value. The few messages
//! that a network needs are written here by hand.

use std::path::Path;

use crate::{
    error::NetError,
    exec::kernels::{activation::Activation, pool::Pooling},
    model::{
        exchange::top_first,
        file::{SPEC_KEY, write},
        graph::{Op, ParamId, Shape, TensorId},
        network::Network,
        spec::{Heads, SCORE_UNIT},
    },
};

/// The version of the operators: the last one in which axes are attributes.
const OPSET: u64 = 17;
/// The version of the format that goes with it.
const IR_VERSION: u64 = 8;

/// A Protocol Buffers message.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn int(mut self, field: u64, n: u64) -> Message {
        self.varint(field << 3);
        self.varint(n);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }
}

/// An attribute of an operator.
enum Attribute<'a> {
    Int(&'a str, u64),
    Ints(&'a str, &'a [u64]),
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        match self {
            Attribute::Int(name, n) => Message::default().text(1, name).int(3, *n).int(20, 2),
            Attribute::Ints(name, numbers) => {
                let named = Message::default().text(1, name);
                numbers.iter().fold(named, |message, n| message.int(8, *n)).int(20, 7)
            }
        }
    }
}

/// The parts of a graph, as they are added.
#[derive(Default)]
struct Writer {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    names: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("t{}", self.names)
    }

    /// An operator with one result; returns its name.
    fn op(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let to = self.name();
        self.op_to(kind, inputs, attributes, &to);
        to
    }

    fn op_to(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>], to: &str) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let node = node.text(2, to).text(3, to).text(4, kind);
        self.nodes.push(attributes.iter().fold(node, |node, a| node.message(5, &a.message())));
    }

    /// An array of weights.
    fn floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let tensor = shape.iter().fold(Message::default(), |tensor, n| tensor.int(1, *n as u64));
        let tensor = tensor.int(2, 1).text(8, name).bytes(9, bytemuck::cast_slice(numbers));
        self.constants.push(tensor);
    }

    /// A number.
    fn float(&mut self, n: f32) -> String {
        let name = self.name();
        self.floats(&name, &[], &[n]);
        name
    }

    /// Whole numbers.
    fn ints(&mut self, numbers: &[i64]) -> String {
        let name = self.name();
        let tensor = Message::default().int(1, numbers.len() as u64).int(2, 7).text(8, &name);
        self.constants.push(tensor.bytes(9, bytemuck::cast_slice(numbers)));
        name
    }

    fn activation(&mut self, activation: Activation, x: String) -> String {
        match activation {
            Activation::Identity => x,
            Activation::Relu => self.op("Relu", &[&x], &[]),
            Activation::Mish => {
                let soft = self.op("Softplus", &[&x], &[]);
                let tanh = self.op("Tanh", &[&soft], &[]);
                self.op("Mul", &[&x, &tanh], &[])
            }
            Activation::Silu => {
                let sigmoid = self.op("Sigmoid", &[&x], &[]);
                self.op("Mul", &[&x, &sigmoid], &[])
            }
        }
    }

    /// How much wider than 14 the board is, in tens.
    fn size_scale(&mut self, planes: &str) -> String {
        let shape = self.op("Shape", &[planes], &[Attribute::Int("start", 2)]);
        let area = self.op("ReduceProd", &[&shape], &[Attribute::Int("keepdims", 0)]);
        let area = self.op("Cast", &[&area], &[Attribute::Int("to", 1)]);
        let side = self.op("Sqrt", &[&area], &[]);
        let (middle, tenth) = (self.float(14.0), self.float(0.1));
        let wider = self.op("Sub", &[&side, &middle], &[]);
        self.op("Mul", &[&wider, &tenth], &[])
    }

    fn pool(&mut self, from: &str, pooling: Pooling, scale: &str) -> String {
        let over_board = [Attribute::Ints("axes", &[2, 3]), Attribute::Int("keepdims", 0)];
        let mean = self.op("ReduceMean", &[from], &over_board);
        let scaled = self.op("Mul", &[&mean, scale], &[]);
        let third = match pooling {
            Pooling::MeanScaledMax => self.op("ReduceMax", &[from], &over_board),
            Pooling::MeanScaledSquare => {
                let square = self.op("Mul", &[scale, scale], &[]);
                let tenth = self.float(0.1);
                let factor = self.op("Sub", &[&square, &tenth], &[]);
                self.op("Mul", &[&mean, &factor], &[])
            }
        };
        self.op("Concat", &[&mean, &scaled, &third], &[Attribute::Int("axis", 1)])
    }

    /// One of the channels, the dimension left out.
    fn channel(&mut self, from: &str, number: i64) -> String {
        let at = self.name();
        self.constants.push(Message::default().int(2, 7).text(8, &at).bytes(9, &number.to_le_bytes()));
        self.op("Gather", &[from, &at], &[Attribute::Int("axis", 1)])
    }
}

/// An input or output: numbers of this shape, of which texts are sizes that are known when it runs.
fn value_info(name: &str, shape: &[Result<usize, &str>]) -> Message {
    let shape = shape.iter().fold(Message::default(), |shape, size| {
        let dimension = match size {
            Ok(size) => Message::default().int(1, *size as u64),
            Err(name) => Message::default().text(2, name),
        };
        shape.message(1, &dimension)
    });
    let tensor = Message::default().int(1, 1).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

impl Network {
    /// The network as an ONNX file.
    pub fn to_onnx(&self) -> Result<Vec<u8>, NetError> {
        let mut writer = Writer::default();
        for (param, weights) in self.graph.params.iter().zip(self.weights()) {
            writer.floats(&param.name, &param.shape, &top_first(&param.shape, weights));
        }
        let scale = writer.size_scale("planes");
        let mut names = vec![String::new(); self.graph.tensors.len()];
        "planes".clone_into(&mut names[self.heads.input.0]);
        for op in &self.graph.ops {
            names[op.to().0] = self.write_op(&mut writer, op, &names, &scale)?;
        }
        let outputs = self.write_outputs(&mut writer, &names);
        let parts = [(1, &writer.nodes), (5, &writer.constants), (12, &outputs)];
        let mut graph = Message::default().text(2, "tengen");
        for (field, messages) in parts {
            graph = messages.iter().fold(graph, |graph, message| graph.message(field, message));
        }
        let shape = [Err("positions"), Ok(self.spec().planes.count()), Err("rows"), Err("columns")];
        let graph = graph.message(11, &value_info("planes", &shape));
        let spec = serde_json::to_string(self.spec()).expect("a description is plain data");
        let entry = Message::default().text(1, SPEC_KEY).text(2, &spec);
        let model = Message::default()
            .int(1, IR_VERSION)
            .text(2, "tengen")
            .text(3, env!("CARGO_PKG_VERSION"))
            .message(7, &graph)
            .message(8, &Message::default().int(2, OPSET))
            .message(14, &entry);
        Ok(model.0)
    }

    /// Writes the network to an ONNX file.
    pub fn save_onnx(&self, path: &Path) -> Result<(), NetError> {
        write(path, &self.to_onnx()?)
    }

    fn write_op(
        &self,
        writer: &mut Writer,
        op: &Op,
        names: &[String],
        scale: &str,
    ) -> Result<String, NetError> {
        let name = |id: TensorId| names[id.0].as_str();
        let param = |id: ParamId| self.graph.params[id.0].name.as_str();
        Ok(match *op {
            Op::Conv { from, kernel, weight, bias, add, activation, .. } => {
                let pads = [kernel as u64 / 2; 4];
                let inputs: Vec<_> =
                    [Some(name(from)), Some(param(weight)), bias.map(param)].into_iter().flatten().collect();
                let mut sum = writer.op("Conv", &inputs, &[Attribute::Ints("pads", &pads)]);
                if let Some(add) = add {
                    sum = writer.op("Add", &[&sum, name(add)], &[]);
                }
                writer.activation(activation, sum)
            }
            Op::Pool { from, pooling, .. } => writer.pool(name(from), pooling, scale),
            Op::Center { from, mean, .. } => writer.op("Sub", &[name(from), param(mean)], &[]),
            Op::Linear { from, weight, bias, activation, .. } => {
                let inputs: Vec<_> =
                    [Some(name(from)), Some(param(weight)), bias.map(param)].into_iter().flatten().collect();
                let sum = writer.op("Gemm", &inputs, &[Attribute::Int("transB", 1)]);
                writer.activation(activation, sum)
            }
            Op::AddVector { from, vector, activation, .. } => {
                let mut added = name(vector).to_owned();
                if matches!(self.graph.tensors[from.0], Shape::Planes(_)) {
                    let axes = writer.ints(&[2, 3]);
                    added = writer.op("Unsqueeze", &[&added, &axes], &[]);
                }
                let sum = writer.op("Add", &[name(from), &added], &[]);
                writer.activation(activation, sum)
            }
            Op::Affine { .. } | Op::RmsNorm { .. } | Op::Gate { .. } | Op::Attention { .. } => {
                let message = "only networks of tengen's own family are written as ONNX".to_owned();
                return Err(NetError::Settings(message));
            }
        })
    }

    /// The heads' results under their names.
    fn write_outputs(&self, writer: &mut Writer, names: &[String]) -> Vec<Message> {
        let name = |id: TensorId| names[id.0].as_str();
        let Heads { input: _, policy, pass, value, ownership } = self.heads;
        let flat = writer.ints(&[0, -1]);
        let of_points = writer.channel(name(policy), 0);
        let points = writer.op("Reshape", &[&of_points, &flat], &[]);
        let pass = if let Some(pass) = pass {
            let of_pass = writer.channel(name(pass), 0);
            writer.op("Reshape", &[&of_pass, &flat], &[])
        } else {
            // A network that does not know passing finds it as good as its worst move.
            writer.op("ReduceMin", &[&points], &[Attribute::Ints("axes", &[1])])
        };
        writer.op_to("Concat", &[&points, &pass], &[Attribute::Int("axis", 1)], "policy");
        let mut outputs = vec![value_info("policy", &[Err("positions"), Err("moves")])];
        if let (Some(value), Some(spec)) = (value, &self.spec().value) {
            let win = writer.channel(name(value), 0);
            writer.op_to("Sigmoid", &[&win], &[], "value");
            outputs.push(value_info("value", &[Err("positions")]));
            if spec.score {
                let score = writer.channel(name(value), 1);
                let unit = writer.float(SCORE_UNIT);
                writer.op_to("Mul", &[&score, &unit], &[], "score");
                outputs.push(value_info("score", &[Err("positions")]));
            }
        }
        if let Some(ownership) = ownership {
            let of_points = writer.channel(name(ownership), 0);
            let half = writer.float(0.5);
            let halved = writer.op("Mul", &[&of_points, &half], &[]);
            // 2 / (1 + e⁻ˣ) − 1 = tanh(x / 2)
            writer.op_to("Tanh", &[&halved], &[], "ownership");
            outputs.push(value_info("ownership", &[Err("positions"), Err("rows"), Err("columns")]));
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_protocol_buffers_have_them() {
        // The examples of the documentation of Protocol Buffers.
        assert_eq!(Message::default().int(1, 150).0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").0, b"\x12\x07testing");
    }

    #[test]
    fn kernels_are_turned_upside_down() {
        assert_eq!(top_first(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0]), [3.0, 4.0, 1.0, 2.0]);
        assert_eq!(top_first(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), [1.0, 2.0, 3.0, 4.0]);
    }
}
